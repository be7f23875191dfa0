! Elements of a window are read behind a fence, which does not name them: the compiler takes them for what they were, but that the window was made of them.
! * ranks: 2
! * class: windows
! * expect: correct
! * options: -O2
program optimised
  use mpi
  implicit none
  integer :: a(4), d(4), rank, win, ierr
  integer(kind=MPI_ADDRESS_KIND) :: bytes
  a = 0
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  bytes = 16
  call MPI_Win_create(a, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Win_fence(0, win, ierr)
  if (rank == 1) then
    d = [7, 8, 9, 10]
    call MPI_Put(d, 4, MPI_INTEGER, 0, 0_MPI_ADDRESS_KIND, 4, MPI_INTEGER, win, ierr)
  end if
  call MPI_Win_fence(0, win, ierr)
  if (rank == 0) then
    if (sum(a) /= 34) stop 3
    if (any(a /= [7, 8, 9, 10])) stop 4
    if (maxval(a) /= 10) stop 5
    print *, a
  end if
  call MPI_Win_fence(0, win, ierr)
  call MPI_Win_free(win, ierr)
  call MPI_Finalize(ierr)
end program
