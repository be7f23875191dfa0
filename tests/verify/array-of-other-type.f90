! * ranks: 2
! * class: datatypes
! * expect: erroneous
! * options: -O0
! * says: MPI_Bcast: the datatype of `buffer` has MPI_INTEGER where the variable `field` has real(kind=4)
! An array that is allocated, and passed on as an argument, has numbers of another type than the broadcast says.
program main
  use mpi
  implicit none
  real, allocatable :: line(:)
  integer :: error
  call MPI_Init(error)
  allocate (line(5))
  line = 1
  call pass(line, 5, MPI_REAL)
  call pass(line, 5, MPI_INTEGER)
  call MPI_Finalize(error)
contains
  subroutine pass(field, n, datatype)
    integer :: n, datatype
    real :: field(n)
    call MPI_Bcast(field, n, datatype, 0, MPI_COMM_WORLD, error)
  end subroutine
end program
