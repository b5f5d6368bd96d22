-- Why: an object that was stored more than an hour after its capture's withdrawal stayed for good if nobody told of it, such as a process that
-- ended behind it. Withdrawn captures are looked at again for good, at growing distances.
-- needs: 24

CREATE INDEX withdrawals_to_look_at ON withdrawals (erase_next_at);
