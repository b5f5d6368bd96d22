-- A bucket may be forgotten once it is full again, which depends on its rule: the row says how long after its last change that is.
-- Rows of before had a day.
ALTER TABLE rate_limits ADD COLUMN seconds_to_full double precision NOT NULL DEFAULT 86400;
