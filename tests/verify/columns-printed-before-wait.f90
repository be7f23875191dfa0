! Columns beside the receive buffer are printed before the wait.
! * ranks: 2
! * class: buffers
! * expect: correct
! * instrumented: correct
!
program columns
  use mpi
  implicit none
  integer :: rank, ierr, q
  real, asynchronous :: a(4, 4)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  a = real(rank)
  if (rank == 0) then
    call MPI_Send(a, 4, MPI_REAL, 1, 0, MPI_COMM_WORLD, ierr)
  else
    call MPI_Irecv(a(1, 2), 4, MPI_REAL, 0, 0, MPI_COMM_WORLD, q, ierr)
    print *, a(2, 3:4), a(:, 1), a(1:4:3, 3)
    call MPI_Wait(q, MPI_STATUS_IGNORE, ierr)
  end if
  call MPI_Finalize(ierr)
end program
