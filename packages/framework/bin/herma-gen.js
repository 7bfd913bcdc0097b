#!/usr/bin/env node
import { hermaGen } from '../dist/gen/herma-gen.js'

const { stdout, stderr } = process
process.exitCode = await hermaGen(process.argv.slice(2), { folder: process.cwd(), stdout, stderr })
