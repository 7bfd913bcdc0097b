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
-- A table cannot become partitioned, so the events move into a new one.
ALTER TABLE "event" RENAME TO "old_event";--> statement-breakpoint
ALTER INDEX "event_pkey" RENAME TO "old_event_pkey";--> statement-breakpoint
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
CREATE TABLE "event_default" PARTITION OF "event" DEFAULT;--> statement-breakpoint
-- Ids are nanoseconds since 1970; the number of the row keeps events of one moment apart.
INSERT INTO "event" ("id", "at", "kind", "connector", "data")
SELECT (extract(epoch FROM "at") * 1000)::bigint * 1000000 + (row_number() OVER (ORDER BY "id")) % 1000000, "at", "kind", "connector", "data"
FROM "old_event";--> statement-breakpoint
DROP TABLE "old_event";
--> statement-breakpoint
CREATE TABLE "auth_access_token" (
	"id" text PRIMARY KEY NOT NULL,
	"token" text NOT NULL,
	"client_id" text NOT NULL,
	"session_id" text,
	"reference_id" text,
	"authorization_code_id" text,
	"resources" text[],
	"requested_user_info_claims" text[],
	"scopes" text[] NOT NULL,
	"confirmation" jsonb,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"revoked" timestamp with time zone,
	"user_id" text,
	"refresh_id" text,
	CONSTRAINT "auth_access_token_token_unique" UNIQUE("token")
);
--> statement-breakpoint
CREATE TABLE "auth_account" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"provider_id" text NOT NULL,
	"user_id" text NOT NULL,
	"access_token" text,
	"refresh_token" text,
	"id_token" text,
	"access_token_expires_at" timestamp with time zone,
	"refresh_token_expires_at" timestamp with time zone,
	"scope" text,
	"password" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "auth_assertion" (
	"id" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "auth_client_resource" (
	"id" text PRIMARY KEY NOT NULL,
	"client_id" text NOT NULL,
	"resource_id" text NOT NULL,
	"metadata" jsonb,
	"created_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "auth_client" (
	"id" text PRIMARY KEY NOT NULL,
	"client_id" text NOT NULL,
	"client_secret" text,
	"client_discovery_id" text,
	"disabled" boolean DEFAULT false,
	"skip_consent" boolean,
	"enable_end_session" boolean,
	"subject_type" text,
	"scopes" text[],
	"client_credentials_scopes" text[],
	"user_id" text,
	"name" text,
	"uri" text,
	"icon" text,
	"contacts" text[],
	"tos" text,
	"policy" text,
	"software_id" text,
	"software_version" text,
	"software_statement" text,
	"redirect_uris" text[] NOT NULL,
	"post_logout_redirect_uris" text[],
	"backchannel_logout_uri" text,
	"backchannel_logout_session_required" boolean,
	"token_endpoint_auth_method" text,
	"application_type" text,
	"jwks" text,
	"jwks_uri" text,
	"grant_types" text[],
	"response_types" text[],
	"require_pkce" boolean,
	"dpop_bound_access_tokens" boolean DEFAULT false,
	"reference_id" text,
	"metadata" jsonb,
	"fresh_until" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now(),
	"updated_at" timestamp with time zone DEFAULT now(),
	CONSTRAINT "auth_client_client_id_unique" UNIQUE("client_id")
);
--> statement-breakpoint
CREATE TABLE "auth_consent" (
	"id" text PRIMARY KEY NOT NULL,
	"client_id" text NOT NULL,
	"user_id" text,
	"reference_id" text,
	"resources" text[],
	"requested_user_info_claims" text[],
	"scopes" text[] NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "auth_issuer" (
	"name" text PRIMARY KEY NOT NULL,
	"issuer" text NOT NULL,
	"audience" text,
	"role" text NOT NULL,
	"scopes" text[] NOT NULL,
	"introspection_client_id" text,
	"sealed_secret" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "auth_issuer_issuer_unique" UNIQUE("issuer")
);
--> statement-breakpoint
CREATE TABLE "auth_key" (
	"id" text PRIMARY KEY NOT NULL,
	"public_key" text NOT NULL,
	"private_key" text NOT NULL,
	"alg" text,
	"crv" text,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "auth_password_code" (
	"user_id" text PRIMARY KEY NOT NULL,
	"hash" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "auth_provider" (
	"name" text PRIMARY KEY NOT NULL,
	"label" text NOT NULL,
	"issuer" text NOT NULL,
	"client_id" text NOT NULL,
	"sealed_secret" text NOT NULL,
	"domains" text[] NOT NULL,
	"create_users" boolean NOT NULL,
	"role" text NOT NULL,
	"endpoints" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "auth_refresh_token" (
	"id" text PRIMARY KEY NOT NULL,
	"token" text NOT NULL,
	"client_id" text NOT NULL,
	"session_id" text,
	"reference_id" text,
	"authorization_code_id" text,
	"resources" text[],
	"requested_user_info_claims" text[],
	"scopes" text[] NOT NULL,
	"confirmation" jsonb,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"revoked" timestamp with time zone,
	"user_id" text NOT NULL,
	"rotated_at" timestamp with time zone,
	"rotation_replay_response" text,
	"rotation_replay_expires_at" timestamp with time zone,
	"auth_time" timestamp with time zone,
	CONSTRAINT "auth_refresh_token_token_unique" UNIQUE("token")
);
--> statement-breakpoint
CREATE TABLE "auth_resource" (
	"id" text PRIMARY KEY NOT NULL,
	"identifier" text NOT NULL,
	"name" text NOT NULL,
	"access_token_ttl" integer,
	"refresh_token_ttl" integer,
	"signing_algorithm" text,
	"signing_key_id" text,
	"allowed_scopes" text[],
	"custom_claims" jsonb,
	"dpop_bound_access_tokens_required" boolean DEFAULT false,
	"disabled" boolean DEFAULT false,
	"policy_version" integer DEFAULT 1,
	"metadata" jsonb,
	"created_at" timestamp with time zone,
	"updated_at" timestamp with time zone,
	CONSTRAINT "auth_resource_identifier_unique" UNIQUE("identifier")
);
--> statement-breakpoint
CREATE TABLE "auth_revocation" (
	"subject" text PRIMARY KEY NOT NULL,
	"issued_until" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "auth_session" (
	"id" text PRIMARY KEY NOT NULL,
	"token" text NOT NULL,
	"user_id" text NOT NULL,
	"ip_address" text,
	"user_agent" text,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "auth_session_token_unique" UNIQUE("token")
);
--> statement-breakpoint
CREATE TABLE "auth_state" (
	"id" integer PRIMARY KEY NOT NULL,
	"sealed_secret" text NOT NULL,
	"revision" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "auth_two_factor" (
	"id" text PRIMARY KEY NOT NULL,
	"secret" text NOT NULL,
	"backup_codes" text NOT NULL,
	"user_id" text NOT NULL,
	"verified" boolean DEFAULT true,
	"failed_verification_count" integer DEFAULT 0,
	"locked_until" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "auth_user" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"email_verified" boolean DEFAULT false NOT NULL,
	"image" text,
	"role" text NOT NULL,
	"disabled" boolean DEFAULT false NOT NULL,
	"two_factor_enabled" boolean DEFAULT false,
	"last_sign_in_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "auth_user_name_unique" UNIQUE("name"),
	CONSTRAINT "auth_user_email_unique" UNIQUE("email")
);
--> statement-breakpoint
CREATE TABLE "auth_verification" (
	"id" text PRIMARY KEY NOT NULL,
	"identifier" text NOT NULL,
	"value" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "served_server" ADD COLUMN "access" text DEFAULT 'auto' NOT NULL;--> statement-breakpoint
ALTER TABLE "served_server" ADD COLUMN "key_header" text DEFAULT 'authorization' NOT NULL;--> statement-breakpoint
ALTER TABLE "auth_access_token" ADD CONSTRAINT "auth_access_token_client_id_auth_client_client_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."auth_client"("client_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auth_access_token" ADD CONSTRAINT "auth_access_token_session_id_auth_session_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."auth_session"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auth_access_token" ADD CONSTRAINT "auth_access_token_user_id_auth_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."auth_user"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auth_access_token" ADD CONSTRAINT "auth_access_token_refresh_id_auth_refresh_token_id_fk" FOREIGN KEY ("refresh_id") REFERENCES "public"."auth_refresh_token"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auth_account" ADD CONSTRAINT "auth_account_user_id_auth_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."auth_user"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auth_client_resource" ADD CONSTRAINT "auth_client_resource_client_id_auth_client_client_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."auth_client"("client_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auth_client_resource" ADD CONSTRAINT "auth_client_resource_resource_id_auth_resource_identifier_fk" FOREIGN KEY ("resource_id") REFERENCES "public"."auth_resource"("identifier") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auth_client" ADD CONSTRAINT "auth_client_user_id_auth_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."auth_user"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auth_consent" ADD CONSTRAINT "auth_consent_client_id_auth_client_client_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."auth_client"("client_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auth_consent" ADD CONSTRAINT "auth_consent_user_id_auth_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."auth_user"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auth_password_code" ADD CONSTRAINT "auth_password_code_user_id_auth_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."auth_user"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auth_refresh_token" ADD CONSTRAINT "auth_refresh_token_client_id_auth_client_client_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."auth_client"("client_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auth_refresh_token" ADD CONSTRAINT "auth_refresh_token_session_id_auth_session_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."auth_session"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auth_refresh_token" ADD CONSTRAINT "auth_refresh_token_user_id_auth_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."auth_user"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auth_session" ADD CONSTRAINT "auth_session_user_id_auth_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."auth_user"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auth_two_factor" ADD CONSTRAINT "auth_two_factor_user_id_auth_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."auth_user"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "auth_account_user_id_index" ON "auth_account" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "auth_account_provider_id_account_id_index" ON "auth_account" USING btree ("provider_id","account_id");--> statement-breakpoint
CREATE UNIQUE INDEX "auth_client_resource_client_id_resource_id_index" ON "auth_client_resource" USING btree ("client_id","resource_id");--> statement-breakpoint
CREATE INDEX "auth_consent_user_id_client_id_index" ON "auth_consent" USING btree ("user_id","client_id");--> statement-breakpoint
CREATE INDEX "auth_refresh_token_user_id_client_id_index" ON "auth_refresh_token" USING btree ("user_id","client_id");--> statement-breakpoint
CREATE INDEX "auth_refresh_token_authorization_code_id_index" ON "auth_refresh_token" USING btree ("authorization_code_id");--> statement-breakpoint
CREATE INDEX "auth_refresh_token_session_id_index" ON "auth_refresh_token" USING btree ("session_id");--> statement-breakpoint
CREATE INDEX "auth_session_user_id_index" ON "auth_session" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "auth_two_factor_user_id_index" ON "auth_two_factor" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "auth_verification_identifier_index" ON "auth_verification" USING btree ("identifier");
--> statement-breakpoint
CREATE TABLE "data_key" (
	"id" text PRIMARY KEY NOT NULL,
	"position" integer GENERATED ALWAYS AS IDENTITY (sequence name "data_key_position_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"retired_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "data_key_wrap" (
	"data_key_id" text NOT NULL,
	"master_key_id" text NOT NULL,
	"wrapped" text NOT NULL,
	"position" integer GENERATED ALWAYS AS IDENTITY (sequence name "data_key_wrap_position_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "data_key_wrap_data_key_id_master_key_id_pk" PRIMARY KEY("data_key_id","master_key_id")
);
--> statement-breakpoint
ALTER TABLE "downstream_authorization" DROP CONSTRAINT "downstream_authorization_connector_id_issuer_kind_pk";--> statement-breakpoint
ALTER TABLE "downstream_authorization" ADD COLUMN "principal" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "downstream_authorization" ADD CONSTRAINT "downstream_authorization_connector_id_principal_issuer_kind_pk" PRIMARY KEY("connector_id","principal","issuer","kind");--> statement-breakpoint
ALTER TABLE "data_key_wrap" ADD CONSTRAINT "data_key_wrap_data_key_id_data_key_id_fk" FOREIGN KEY ("data_key_id") REFERENCES "public"."data_key"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE TABLE "access_rule" (
	"id" text PRIMARY KEY NOT NULL,
	"position" integer GENERATED BY DEFAULT AS IDENTITY (sequence name "access_rule_position_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"effect" text NOT NULL,
	"description" text NOT NULL,
	"when" text NOT NULL,
	"enabled" boolean NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "secret" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"sealed" text NOT NULL,
	"description" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "secret_name" UNIQUE("name")
);
