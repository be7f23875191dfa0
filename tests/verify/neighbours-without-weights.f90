! A distributed graph without weights, and one without edges, in Fortran 2008: MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY are told apart from arrays.
! * ranks: 2
! * class: communicators and groups
! * expect: correct
!
program neighbours
  use mpi_f08
  implicit none
  type(MPI_Comm) :: graph
  integer :: rank, degree(1), other(1), from(1), to(1), ins, outs, nothing(0)
  logical :: weighted
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  degree = 1
  other = 1 - rank
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, other, MPI_UNWEIGHTED, 1, other, MPI_UNWEIGHTED, MPI_INFO_NULL, &
                                      .false., graph)
  call MPI_Dist_graph_neighbors_count(graph, ins, outs, weighted)
  if (weighted .or. ins /= 1 .or. outs /= 1) call MPI_Abort(MPI_COMM_WORLD, 1)
  call MPI_Dist_graph_neighbors(graph, 1, from, MPI_UNWEIGHTED, 1, to, MPI_UNWEIGHTED)
  if (from(1) /= 1 - rank .or. to(1) /= 1 - rank) call MPI_Abort(MPI_COMM_WORLD, 2)
  call MPI_Comm_free(graph)
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, nothing, MPI_WEIGHTS_EMPTY, 0, nothing, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, &
                                      .false., graph)
  call MPI_Dist_graph_neighbors_count(graph, ins, outs, weighted)
  if (.not. weighted .or. ins /= 0 .or. outs /= 0) call MPI_Abort(MPI_COMM_WORLD, 3)
  call MPI_Comm_free(graph)
  call MPI_Finalize()
end program
