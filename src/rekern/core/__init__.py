"""What knows nothing of texts: compiling, keys and tables of keys, jobs, files, model archives, errors."""
