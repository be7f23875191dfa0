# Collectives of objects in Python, and a ring.
# * ranks: 2
# * class: collectives
# * expect: correct
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
assert comm.bcast({"a": 1} if rank == 0 else None) == {"a": 1}
assert comm.gather(rank) == (list(range(size)) if rank == 0 else None)
assert comm.scatter([i * i for i in range(size)] if rank == 0 else None) == rank * rank
assert comm.allreduce(rank) == size * (size - 1) // 2
request = comm.isend([rank], dest=(rank + 1) % size)
assert comm.recv(source=(rank - 1) % size) == [(rank - 1) % size]
request.wait()
