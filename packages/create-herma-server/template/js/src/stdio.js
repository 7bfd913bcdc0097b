#!/usr/bin/env node
// For clients that start the server as a program. Standard output belongs to the protocol: write logs to standard error.
import { app } from './server.js'

await app.stdio()
