"""Problems of one's own: losses as functions, domains as anything with `project`, regularisers with a mirror step."""
