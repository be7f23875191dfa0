! * ranks: 2
! * class: datatypes
! * expect: correct
! * options: -O0
! Variables of the main program, allocated ones, members and common ones are what the datatypes say.
program main
  use mpi
  implicit none
  type point
    sequence
    double precision :: place(3)
    integer :: number
  end type
  real, allocatable :: line(:), grid(:, :)
  double precision :: four(4)
  integer :: three(3), error, shared
  logical :: yes
  complex :: waves(2)
  type(point) :: one
  common /both/ shared
  call MPI_Init(error)
  allocate (line(5), grid(2, 3))
  line = 1
  grid = 2
  four = 3
  three = 4
  yes = .true.
  waves = (1, 2)
  one%place = 5
  one%number = 6
  shared = 7
  call MPI_Bcast(line, 5, MPI_REAL, 0, MPI_COMM_WORLD, error)
  call MPI_Bcast(grid, 6, MPI_REAL, 0, MPI_COMM_WORLD, error)
  call MPI_Bcast(grid(1, 2), 4, MPI_REAL4, 0, MPI_COMM_WORLD, error)
  call MPI_Bcast(four, 4, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
  call MPI_Bcast(four(2), 2, MPI_REAL8, 0, MPI_COMM_WORLD, error)
  call MPI_Bcast(three, 3, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
  call MPI_Bcast(yes, 1, MPI_LOGICAL, 0, MPI_COMM_WORLD, error)
  call MPI_Bcast(waves, 2, MPI_COMPLEX, 0, MPI_COMM_WORLD, error)
  call MPI_Bcast(waves, 4, MPI_REAL, 0, MPI_COMM_WORLD, error)
  call MPI_Bcast(one%place, 3, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
  call MPI_Bcast(one%number, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
  call MPI_Bcast(shared, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
end program
