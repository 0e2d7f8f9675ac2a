"""The tests, a package: another distribution may install one of this name, which would come first otherwise."""
