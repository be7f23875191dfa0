# Both ranks receive before they send, in Python.
# * ranks: 2
# * class: deadlock and progress
# * expect: deadlock
# * says: rank 0 waits in MPI_Mprobe (objects-deadlock.py:9); rank 1 waits in MPI_Mprobe (objects-deadlock.py:9)
from mpi4py import MPI

comm = MPI.COMM_WORLD
comm.recv(source=1 - comm.rank)
comm.send(1, dest=1 - comm.rank)
