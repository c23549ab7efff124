//! The project on disk: root, paths, configuration, trust, environment.
