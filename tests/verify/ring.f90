! A ring in Fortran: everybody sends to the right and receives from the left, and the sum goes to all.
! * ranks: 3
! * class: deadlock and progress
! * expect: correct
!
program ring
  use mpi
  implicit none
  integer :: rank, size, left, right, sent(2), got(2), total, ierr, requests(2), statuses(MPI_STATUS_SIZE, 2)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  left = modulo(rank - 1, size)
  right = modulo(rank + 1, size)
  sent = [rank, 10 * rank]
  call MPI_Irecv(got, 2, MPI_INTEGER, left, 7, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Isend(sent, 2, MPI_INTEGER, right, 7, MPI_COMM_WORLD, requests(2), ierr)
  call MPI_Waitall(2, requests, statuses, ierr)
  if (statuses(MPI_SOURCE, 1) /= left .or. got(2) /= 10 * left) stop 3
  call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (total /= size * (size - 1) / 2) stop 4
  call MPI_Finalize(ierr)
end program
