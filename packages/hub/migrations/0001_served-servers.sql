CREATE TABLE "served_server" (
	"name" text PRIMARY KEY NOT NULL,
	"sse" boolean DEFAULT false NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
