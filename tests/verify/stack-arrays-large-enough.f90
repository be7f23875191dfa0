! * ranks: 2
! * class: buffers
! * expect: correct
! * options: -O0
! Arrays of a subroutine: of a length that its argument says, with lower bounds, in common memory, members, and passed on as an array without a length.
module kinds
  type record
    sequence
    integer :: head(2)
    double precision :: tail(3)
  end type
end module

subroutine pass(buffer, n)
  use mpi
  implicit none
  integer :: buffer(*), n, error
  call MPI_Bcast(buffer, n, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
end subroutine

subroutine work(n)
  use mpi
  use kinds
  implicit none
  integer :: n, error, numbers(n), low(-3:3), grid(3, 0:4), first(4), second(10)
  integer :: statuses(MPI_STATUS_SIZE, 2), requests(2), rank
  type(record) :: one
  equivalence (first(3), second(1))
  numbers = 1
  low = 2
  grid = 3
  second = 4
  one%head = 5
  one%tail = 6
  call pass(numbers, n)
  call pass(low, 7)
  call pass(grid, 15)
  call pass(grid(1, 2), 9)
  call pass(first, 12)
  call pass(one%head, 8)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Irecv(low, 7, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, requests(1), error)
  call MPI_Isend(grid, 7, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, requests(2), error)
  call MPI_Waitall(2, requests, statuses, error)
end subroutine

program main
  use mpi
  implicit none
  integer :: error
  call MPI_Init(error)
  call work(9)
  call MPI_Finalize(error)
end program
