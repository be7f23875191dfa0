/* What statuses, states and events are called. */
#include "front.h"

const char *ibv_wc_status_str(enum ibv_wc_status status)
{
    static const char *const names[] = {
        "success", "local length error", "local QP operation error", "local EE context operation error",
        "local protection error", "Work Request Flushed Error", "memory management operation error", "bad response error",
        "local access error", "remote invalid request error", "remote access error", "remote operation error",
        "transport retry counter exceeded", "RNR retry counter exceeded",
    };
    return (unsigned)status < sizeof names / sizeof *names ? names[status] : "error";
}

const char *ibv_node_type_str(enum ibv_node_type type)
{
    return type == IBV_NODE_CA ? "InfiniBand channel adapter" : "unknown";
}

const char *ibv_port_state_str(enum ibv_port_state state)
{
    return state == IBV_PORT_ACTIVE ? "active" : "down";
}

const char *ibv_event_type_str(enum ibv_event_type type)
{
    static const char *const names[] = {
        "CQ error", "local work queue catastrophic error", "invalid request local work queue error",
        "local access violation work queue error", "communication established", "send queue drained",
        "path migrated", "path migration request error", "local catastrophic error", "port active", "port error",
        "LID change", "P_Key change", "SM change", "SRQ catastrophic error", "SRQ limit reached",
        "last WQE reached", "client reregistration", "GID table change", "WQ fatal",
    };
    return (unsigned)type < sizeof names / sizeof *names ? names[type] : "unknown";
}

const char *ibv_wr_opcode_str(enum ibv_wr_opcode opcode);
const char *ibv_wr_opcode_str(enum ibv_wr_opcode opcode)
{
    static const char *const names[] = {
        "RDMA write", "RDMA write with immediate", "send", "send with immediate", "RDMA read", "atomic compare and swap",
        "atomic fetch and add", "local invalidate", "bind memory window", "send with invalidate", "TSO", "driver's own",
    };
    return (unsigned)opcode < sizeof names / sizeof *names ? names[opcode] : "unknown";
}
