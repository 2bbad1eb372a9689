# Made by `make generate` from contract/. Do not edit.
version = "1.0.0"
