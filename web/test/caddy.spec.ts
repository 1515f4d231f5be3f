import { startCaddy } from '../../deploy/proxy/start-caddy.ts'
import { tellStoryBehind } from './behind-proxy.ts'

tellStoryBehind({ program: 'caddy', debianPackage: 'caddy', start: startCaddy })
