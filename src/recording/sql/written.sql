-- A write, and what its effect returned.
CREATE TYPE release.written AS (write release.write, outcome release.outcome);
