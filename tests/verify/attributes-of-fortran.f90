! Attributes that Fortran sets: their functions are Fortran's, and integers stay integers in a copy.
! * ranks: 1
! * class: environment
! * expect: correct
!
module functions
  use mpi
  implicit none
  integer :: deleted = 0
contains
  subroutine copied(object, key, extra, value, copy, flag, ierr)
    integer :: object, key, ierr
    integer(kind=MPI_ADDRESS_KIND) :: extra, value, copy
    logical :: flag
    copy = value + extra
    flag = .true.
    ierr = MPI_SUCCESS
  end subroutine
  subroutine gone(object, key, value, extra, ierr)
    integer :: object, key, ierr
    integer(kind=MPI_ADDRESS_KIND) :: value, extra
    deleted = deleted * 100 + int(value)
    ierr = MPI_SUCCESS
  end subroutine
end module

program attributes_of_fortran
  use mpi
  use functions
  implicit none
  integer :: key, on_type, on_window, plain, ierr, comm, copy, type, window
  integer :: memory(4)
  integer(kind=MPI_ADDRESS_KIND) :: extra, value, bytes
  logical :: flag
  call MPI_Init(ierr)

  extra = 5
  call MPI_Comm_create_keyval(copied, gone, key, extra, ierr)
  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, plain, extra, ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
  value = 11
  call MPI_Comm_set_attr(comm, key, value, ierr)
  value = -7000000000_MPI_ADDRESS_KIND
  call MPI_Comm_set_attr(comm, plain, value, ierr)
  call MPI_Comm_dup(comm, copy, ierr)
  call MPI_Comm_get_attr(copy, key, value, flag, ierr)
  if (.not. flag .or. value /= 16) call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  call MPI_Comm_get_attr(copy, plain, value, flag, ierr)
  if (flag) call MPI_Abort(MPI_COMM_WORLD, 2, ierr)
  call MPI_Comm_get_attr(comm, plain, value, flag, ierr)
  if (.not. flag .or. value /= -7000000000_MPI_ADDRESS_KIND) call MPI_Abort(MPI_COMM_WORLD, 3, ierr)
  call MPI_Comm_free(copy, ierr)
  call MPI_Comm_free(comm, ierr)
  if (deleted /= 1611) call MPI_Abort(MPI_COMM_WORLD, 4, ierr)
  call MPI_Comm_free_keyval(key, ierr)
  call MPI_Comm_free_keyval(plain, ierr)

  ! MPI's own are integers in Fortran, and pointers to integers in C.
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierr)
  if (.not. flag .or. value < 32767) call MPI_Abort(MPI_COMM_WORLD, 5, ierr)

  call MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, on_type, extra, ierr)
  call MPI_Type_contiguous(2, MPI_INTEGER, type, ierr)
  value = 23
  call MPI_Type_set_attr(type, on_type, value, ierr)
  call MPI_Type_get_attr(type, on_type, value, flag, ierr)
  if (.not. flag .or. value /= 23) call MPI_Abort(MPI_COMM_WORLD, 6, ierr)
  call MPI_Type_free(type, ierr)
  call MPI_Type_free_keyval(on_type, ierr)

  bytes = 16
  call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, ierr)
  call MPI_Win_get_attr(window, MPI_WIN_SIZE, value, flag, ierr)
  if (.not. flag .or. value /= bytes) call MPI_Abort(MPI_COMM_WORLD, 7, ierr)
  call MPI_Win_get_attr(window, MPI_WIN_DISP_UNIT, value, flag, ierr)
  if (.not. flag .or. value /= 4) call MPI_Abort(MPI_COMM_WORLD, 8, ierr)
  call MPI_Win_get_attr(window, MPI_WIN_BASE, value, flag, ierr)
  call MPI_Get_address(memory, bytes, ierr)
  if (.not. flag .or. value /= bytes) call MPI_Abort(MPI_COMM_WORLD, 9, ierr)
  call MPI_Win_create_keyval(copied, gone, on_window, extra, ierr)
  value = 42
  call MPI_Win_set_attr(window, on_window, value, ierr)
  call MPI_Win_get_attr(window, on_window, value, flag, ierr)
  if (.not. flag .or. value /= 42) call MPI_Abort(MPI_COMM_WORLD, 10, ierr)
  call MPI_Win_free(window, ierr)
  if (deleted /= 161142) call MPI_Abort(MPI_COMM_WORLD, 11, ierr)
  call MPI_Win_free_keyval(on_window, ierr)
  call MPI_Finalize(ierr)
end program
