! Both ranks receive before they send, in Fortran.
! * ranks: 2
! * class: deadlock and progress
! * expect: deadlock
!
program both_receive
  use mpi
  implicit none
  integer :: rank, x, ierr, status(MPI_STATUS_SIZE)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Recv(x, 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, status, ierr)
  call MPI_Send(rank, 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program
