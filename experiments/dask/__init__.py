"""Trees on a Dask cluster: time, memory and traffic."""
