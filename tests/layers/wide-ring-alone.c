/* The same as wide-ring.c as one process of several, which the environment tells who it is: `wide-ring-alone ROUNDS`. */
#define main as_several
#include "wide-ring.c"
#undef main

int main(int argc, char **argv)
{
    struct litmpi_net *net = litmpi_net_from_environment();
    run(net, argc > 1 ? atol(argv[1]) : 1000);
    litmpi_net_close(net);
    return 0;
}
