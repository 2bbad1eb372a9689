import * as sdk from 'bot-builder-client'
import * as given from '../support.ts'
import { story } from './story.ts'

await story(sdk, given, console.log)
