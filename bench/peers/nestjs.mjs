import 'reflect-metadata'
import {
  Controller,
  DefaultValuePipe,
  Get,
  Inject,
  Injectable,
  Module,
  ParseIntPipe,
  Query,
  Req,
  UnauthorizedException,
  UseGuards,
} from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import { getRepositoryToken, TypeOrmModule } from '@nestjs/typeorm'
import { toItem } from './items.mjs'
import { Movement } from './nestjs-entity.mjs'
import { readCursor, toPage } from './pages.mjs'
import { userOf } from './tokens.mjs'

/**
 * Serves the statement with NestJS on Fastify and TypeORM: a guard, a controller, and a service with a repository.
 * TypeORM has no UNION, so the repository reads a view of the three tables. It checks as little as the peer with
 * Drizzle.
 */
class TokenGuard {
  async canActivate(context) {
    const request = context.switchToHttp().getRequest()
    try {
      request.userId = await userOf(request.headers.authorization)
    } catch {
      throw new UnauthorizedException()
    }
    return true
  }
}

class StatementService {
  constructor(movements) {
    this.movements = movements
  }

  async page(userId, limit, cursor) {
    const [beforeAt, beforeId] = readCursor(cursor)
    const found = await this.movements
      .createQueryBuilder('movement')
      .where('movement.userId = :userId', { userId })
      .andWhere('(movement.createdAt, movement.id) < (:beforeAt, :beforeId)', { beforeAt, beforeId })
      .orderBy('movement.createdAt', 'DESC')
      .addOrderBy('movement.id', 'DESC')
      .limit(limit + 1)
      .getMany()
    return toPage(found.map(toItem), limit)
  }
}

class StatementController {
  constructor(statement) {
    this.statement = statement
  }

  ready() {
    return 'ready'
  }

  page({ userId }, limit, cursor) {
    return this.statement.page(userId, limit, cursor)
  }
}

class AppModule {}

/** Applies decorators to a method as the compiler of TypeScript does, since Node.js runs no decorators. */
function decorate({ prototype }, method, ...decorators) {
  for (const each of decorators) each(prototype, method, Object.getOwnPropertyDescriptor(prototype, method))
}

Injectable()(TokenGuard)
Injectable()(StatementService)
Inject(getRepositoryToken(Movement))(StatementService, undefined, 0)
Controller()(StatementController)
Inject(StatementService)(StatementController, undefined, 0)
decorate(StatementController, 'ready', Get())
decorate(StatementController, 'page', Get('user/statement'), UseGuards(TokenGuard))
Req()(StatementController.prototype, 'page', 0)
Query('limit', new DefaultValuePipe(100), ParseIntPipe)(StatementController.prototype, 'page', 1)
Query('cursor')(StatementController.prototype, 'page', 2)
Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'postgres',
      url: process.env.DATABASE_URL,
      entities: [Movement],
      extra: { max: 8 },
    }),
    TypeOrmModule.forFeature([Movement]),
  ],
  controllers: [StatementController],
  providers: [StatementService],
})(AppModule)

const app = await NestFactory.create(AppModule, new FastifyAdapter(), { logger: ['error', 'warn'] })
await app.listen(Number(process.env.PORT), '127.0.0.1')
