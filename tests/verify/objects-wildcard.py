# Objects from any source in Python: whose comes first is open.
# * ranks: 3
# * class: matching
# * expect: exit
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
if rank == 0:
    first = comm.recv(source=MPI.ANY_SOURCE)
    comm.recv(source=MPI.ANY_SOURCE)
    assert first["rank"] == 1
else:
    comm.send({"rank": rank}, dest=0)
