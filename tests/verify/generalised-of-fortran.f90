! A generalised request whose functions are Fortran's: everything goes to them by reference.
! * ranks: 1
! * class: environment
! * expect: correct
!
module functions
  use mpi
  implicit none
  integer :: freed = 0, cancelled = 0
contains
  subroutine queried(extra, status, ierr)
    integer(kind=MPI_ADDRESS_KIND) :: extra
    integer :: status(MPI_STATUS_SIZE), ierr
    call MPI_Status_set_elements(status, MPI_INTEGER, int(extra), ierr)
    call MPI_Status_set_cancelled(status, cancelled == 1, ierr)
    status(MPI_SOURCE) = MPI_UNDEFINED
    status(MPI_TAG) = 9
    ierr = MPI_SUCCESS
  end subroutine
  subroutine over(extra, ierr)
    integer(kind=MPI_ADDRESS_KIND) :: extra
    integer :: ierr
    freed = freed + 1
    ierr = MPI_SUCCESS
  end subroutine
  subroutine stopped(extra, complete, ierr)
    integer(kind=MPI_ADDRESS_KIND) :: extra
    logical :: complete
    integer :: ierr
    if (.not. complete) cancelled = cancelled + 1
    ierr = MPI_SUCCESS
  end subroutine
end module

program generalised_of_fortran
  use mpi
  use functions
  implicit none
  integer :: request, ierr, n, status(MPI_STATUS_SIZE)
  integer(kind=MPI_ADDRESS_KIND) :: extra
  logical :: flag
  call MPI_Init(ierr)
  extra = 3
  call MPI_Grequest_start(queried, over, stopped, extra, request, ierr)
  call MPI_Test(request, flag, status, ierr)
  if (flag) call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  call MPI_Cancel(request, ierr)
  call MPI_Grequest_complete(request, ierr)
  call MPI_Wait(request, status, ierr)
  call MPI_Test_cancelled(status, flag, ierr)
  call MPI_Get_elements(status, MPI_INTEGER, n, ierr)
  if (.not. flag .or. n /= 3 .or. status(MPI_TAG) /= 9) call MPI_Abort(MPI_COMM_WORLD, 2, ierr)
  if (freed /= 1 .or. cancelled /= 1) call MPI_Abort(MPI_COMM_WORLD, 3, ierr)
  call MPI_Finalize(ierr)
end program
