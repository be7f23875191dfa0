//! Collectives with a root: rsmpi has one function for the root and another for the rest.

use super::buffers::{Parts, for_all};
use super::objects::Comm;
use super::requests::{Peer, Request};
use mpi::collective::Operation;
use mpi::datatype::DynBufferMut;
use mpi::request::StaticScope;
use mpi::traits::{AsCommunicator, Communicator, Root};

type Buffer = &'static mut DynBufferMut<'static>;

fn is_root(peer: &Peer<'_>) -> bool {
    peer.as_communicator().rank() == peer.root_rank()
}

/// `MPI_Gather`.
pub fn gather(comm: &Comm, root: &Peer<'_>, send: Buffer, receive: Buffer) {
    if is_root(root) { root.gather_into_root(send, for_all(comm, receive)) } else { root.gather_into(send) }
}

/// `MPI_Igather`.
pub fn immediate_gather(comm: &Comm, root: &Peer<'_>, send: Buffer, receive: Buffer) -> Request {
    if is_root(root) {
        root.immediate_gather_into_root(StaticScope, send, for_all(comm, receive)).into()
    } else {
        root.immediate_gather_into(StaticScope, send).into()
    }
}

/// `MPI_Gatherv`.
pub fn gather_varcount(root: &Peer<'_>, send: Buffer, receive: &'static mut Parts) {
    if is_root(root) { root.gather_varcount_into_root(send, receive) } else { root.gather_varcount_into(send) }
}

/// `MPI_Igatherv`.
pub fn immediate_gather_varcount(root: &Peer<'_>, send: Buffer, receive: &'static mut Parts) -> Request {
    if is_root(root) {
        root.immediate_gather_varcount_into_root(StaticScope, send, receive).into()
    } else {
        root.immediate_gather_varcount_into(StaticScope, send).into()
    }
}

/// `MPI_Scatter`.
pub fn scatter(comm: &Comm, root: &Peer<'_>, send: Buffer, receive: Buffer) {
    if is_root(root) { root.scatter_into_root(for_all(comm, send), receive) } else { root.scatter_into(receive) }
}

/// `MPI_Iscatter`.
pub fn immediate_scatter(comm: &Comm, root: &Peer<'_>, send: Buffer, receive: Buffer) -> Request {
    if is_root(root) {
        root.immediate_scatter_into_root(StaticScope, for_all(comm, send), receive).into()
    } else {
        root.immediate_scatter_into(StaticScope, receive).into()
    }
}

/// `MPI_Scatterv`.
pub fn scatter_varcount(root: &Peer<'_>, send: &'static mut Parts, receive: Buffer) {
    if is_root(root) { root.scatter_varcount_into_root(send, receive) } else { root.scatter_varcount_into(receive) }
}

/// `MPI_Iscatterv`.
pub fn immediate_scatter_varcount(root: &Peer<'_>, send: &'static mut Parts, receive: Buffer) -> Request {
    if is_root(root) {
        root.immediate_scatter_varcount_into_root(StaticScope, send, receive).into()
    } else {
        root.immediate_scatter_varcount_into(StaticScope, receive).into()
    }
}

/// `MPI_Reduce`.
pub fn reduce(root: &Peer<'_>, send: Buffer, receive: Buffer, op: impl Operation) {
    if is_root(root) { root.reduce_into_root(send, receive, op) } else { root.reduce_into(send, op) }
}

/// `MPI_Ireduce`.
pub fn immediate_reduce(root: &Peer<'_>, send: Buffer, receive: Buffer, op: impl Operation + 'static) -> Request {
    if is_root(root) {
        root.immediate_reduce_into_root(StaticScope, send, receive, op).into()
    } else {
        root.immediate_reduce_into(StaticScope, send, op).into()
    }
}

/// `MPI_Reduce_local`.
pub fn reduce_local(first: Buffer, second: Buffer, op: impl Operation) {
    mpi::collective::reduce_local_into(first, second, op);
}

/// `MPI_Op_commutative`.
pub fn commutes(op: impl Operation) -> i32 {
    i32::from(op.is_commutative())
}
