! An element of a window is printed between two fences, while another process puts to it.
! * ranks: 2
! * class: windows
! * expect: correct
! * instrumented: race
!
program printed
  use mpi
  implicit none
  integer :: ierr, rank, win, buf(4), v
  integer(kind=MPI_ADDRESS_KIND) :: bytes, displacement
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  buf = 0; bytes = 16; displacement = 2; v = rank + 10
  call MPI_Win_create(buf, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Win_fence(0, win, ierr)
  if (rank == 0) then
    call MPI_Put(v, 1, MPI_INTEGER, 1, displacement, 1, MPI_INTEGER, win, ierr)
  else
    print *, buf(3)
  end if
  call MPI_Win_fence(0, win, ierr)
  call MPI_Win_free(win, ierr)
  call MPI_Finalize(ierr)
end program
