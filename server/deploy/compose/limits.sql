-- Connections through the pooler cannot set these for themselves.
ALTER ROLE bots SET statement_timeout = 5000;
ALTER ROLE bots SET lock_timeout = 2000;
ALTER ROLE bots SET idle_in_transaction_session_timeout = 10000;
ALTER ROLE bots SET random_page_cost = 1.1;
