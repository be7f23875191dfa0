//! Loads RDMA programs into the operational models
