import Delivery
import Foundation
import Logging
import Models
import ServiceLifecycle
import ServiceRuntime

/// Builds the service from its settings.
func makeServiceGroup(_ settings: Settings, _ telemetry: Telemetry) throws -> ServiceGroup {
    let logger = telemetry.logger
    let backbone = try Backbone(.uploadSync, settings: settings.common, telemetry)
    let rows = PostgresCleanupRepository(database: backbone.database)
    let intake = LegacyIntake(storage: backbone.storage, rows: rows)
    let work = SyncUpload(inventory: MediaInventory(storage: backbone.storage, intake: intake))
    let parts = PostgresPartRepository<MediaSynced, MediaFindings>(.uploadSync, database: backbone.database)
    let repeats = RepeatedUploads(
        rows: PostgresRepeatRepository(database: backbone.database, outbox: backbone.outbox), storage: backbone.storage, logger: logger)
    let announcer = StuckCaptures(
        rows: PostgresStuckRepository(database: backbone.database, outbox: backbone.outbox), after: settings.announceAgainAfter,
        logger: logger)
    let cleaner = IntakeCleaner(rows: rows, storage: backbone.storage, logger: logger)
    let sweeper = DerivedSweeper(rows: rows, storage: backbone.storage, logger: logger)
    let expiry = MediaExpiry(rows: rows, storage: backbone.storage, logger: logger)
    let scrubber = MediaScrubber(
        days: settings.scrubDays, bytesPerSecond: settings.scrubBytesPerSecond, rows: PostgresScrubRepository(database: backbone.database),
        storage: backbone.storage, logger: logger)
    let withdrawn = WithdrawnObjects(
        rows: PostgresErasureRepository(database: backbone.database, inbox: backbone.inbox), storage: backbone.storage, logger: logger)
    let services: [any Service] = [
        backbone.consume(PartHandler(work, parts: parts)),
        backbone.consume(PartHandler(work, parts: parts, for: VideoReceived.self), consumers: settings.common.videoConsumers),
        backbone.consume(EraseWithdrawn(objects: withdrawn)),
        PeriodicTask(name: "erase withdrawn captures", every: .seconds(5), logger: logger) { try await withdrawn.eraseDue() },
        PeriodicTask(name: "bring repeated uploads", every: .seconds(1), logger: logger) { try await repeats.bring() },
        PeriodicTask(name: "read stored media again", every: .seconds(60), logger: logger) { try await scrubber.scrub() },
        // A scrub may take hours, and damage must show within a minute.
        PeriodicTask(name: "measure stored media", every: .seconds(20), logger: logger) { try await scrubber.measure() },
        PeriodicTask(name: "announce stuck captures", every: min(settings.announceAgainAfter / 4, .seconds(5)), logger: logger) {
            try await announcer.announce()
        },
        // Also while they cannot be announced.
        PeriodicTask(name: "measure stuck captures", every: .seconds(5), logger: logger) { try await announcer.measure() },
        PeriodicTask(name: "delete intake of complete captures", every: .seconds(60), logger: logger) {
            try await cleaner.deleteFinished()
        },
        PeriodicTask(name: "delete abandoned uploads", every: .seconds(600), logger: logger) {
            try await cleaner.deleteAbandoned()
        },
        PeriodicTask(name: "delete unnamed objects", every: .seconds(3600), logger: logger) { try await sweeper.sweep(at: Date()) },
        PeriodicTask(name: "delete media of failed captures", every: .seconds(3600), logger: logger) { try await expiry.expire() },
    ]
    return backbone.serviceGroup(services, counters: [CleanupTask.self])
}

extension CleanupTask: ShownCounters {}
