import { startNginx } from '../../deploy/proxy/start-nginx.ts'
import { tellStoryBehind } from './behind-proxy.ts'

tellStoryBehind({ program: 'nginx', debianPackage: 'nginx-light', start: startNginx })
