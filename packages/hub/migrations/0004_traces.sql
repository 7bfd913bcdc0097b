CREATE TABLE "api_key" (
	"name" text PRIMARY KEY NOT NULL,
	"hash" text NOT NULL,
	"hint" text NOT NULL,
	"role" text NOT NULL,
	"servers" jsonb,
	"scopes" jsonb NOT NULL,
	"limits" jsonb,
	"made_by" text NOT NULL,
	"expires_at" timestamp with time zone,
	"last_used_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "api_key_hash_unique" UNIQUE("hash")
);
--> statement-breakpoint
CREATE TABLE "access_setting" (
	"part" text PRIMARY KEY NOT NULL,
	"value" jsonb NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_event" (
	"id" bigint PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"kind" text NOT NULL,
	"connector" text,
	"trace_id" uuid,
	"span_id" text,
	"parent_id" text,
	"principal" text,
	"server" text,
	"connection" text,
	"session" text,
	"thread" text,
	"route" text,
	"transport" text,
	"era" text,
	"method" text,
	"target" text,
	"request_bytes" bigint,
	"response_bytes" bigint,
	"ms" real,
	"outcome" text,
	"error_code" text,
	"data" jsonb NOT NULL
) PARTITION BY RANGE ("id");
--> statement-breakpoint
CREATE TABLE "audit_event_default" PARTITION OF "audit_event" DEFAULT;
--> statement-breakpoint
CREATE TABLE "capture" (
	"server" text PRIMARY KEY NOT NULL,
	"level" text NOT NULL,
	"sample" double precision NOT NULL,
	"max_body_bytes" integer NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "trace_setting" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"retention" jsonb NOT NULL,
	"otlp" jsonb,
	"otlp_headers" text,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
-- The old log held the last events of connectors only; a table cannot become partitioned, so it begins anew.
DROP TABLE "event";--> statement-breakpoint
CREATE TABLE "event" (
	"id" bigint PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"kind" text NOT NULL,
	"connector" text,
	"trace_id" uuid,
	"span_id" text,
	"parent_id" text,
	"principal" text,
	"server" text,
	"connection" text,
	"session" text,
	"thread" text,
	"route" text,
	"transport" text,
	"era" text,
	"method" text,
	"target" text,
	"request_bytes" bigint,
	"response_bytes" bigint,
	"ms" real,
	"outcome" text,
	"error_code" text,
	"data" jsonb NOT NULL
) PARTITION BY RANGE ("id");
--> statement-breakpoint
CREATE INDEX "event_trace" ON "event" USING btree ("trace_id");--> statement-breakpoint
-- Takes what no partition covers, so that nothing is lost.
CREATE TABLE "event_default" PARTITION OF "event" DEFAULT;
