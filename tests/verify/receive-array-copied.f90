! * ranks: 2
! * class: buffers
! * expect: correct
! * instrumented: erroneous
! * options: -O2
! An array is copied while a receive into it is pending; a compiler that optimises may copy it wherever it likes.
program main
  use mpi
  implicit none
  integer :: rank, ierror, request
  real(8) :: numbers(100), copy(100)
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  numbers = rank
  if (rank == 0) then
    call MPI_Irecv(numbers, 100, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, request, ierror)
    copy = numbers
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    print *, copy(1)
  else
    call MPI_Send(numbers, 100, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, ierror)
  end if
  call MPI_Finalize(ierror)
end program
