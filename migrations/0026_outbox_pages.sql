-- What is emptied again and again keeps its pages: of a table without any, reading all of it is planned, also for when it
-- fills.
ALTER TABLE "webhook_outbox" SET (vacuum_truncate = false);
