! * ranks: 2
! * class: buffers
! * expect: erroneous
! * options: -O0
! * says: the variable has 40 bytes, and 8 bytes behind it are meant
! An array of a subroutine has ten numbers from 0 on, and twelve are broadcast.
subroutine work
  use mpi
  implicit none
  integer :: numbers(0:9), error
  numbers = 1
  call MPI_Bcast(numbers, 12, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
end subroutine

program main
  use mpi
  implicit none
  integer :: error
  call MPI_Init(error)
  call work
  call MPI_Finalize(error)
end program
