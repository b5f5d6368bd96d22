import CaptureProtocol
import Foundation
import Synchronization
import Testing

@testable import CaptureKit

@Suite("A power cut at any moment in a store's life")
struct StorePowerCutTests {
    @Test("leaves what was acknowledged, readable, and nothing else", arguments: PowerCutFiles.Loss.allCases)
    func everyMoment(_ loss: PowerCutFiles.Loss) async throws {
        let life = try PowerCutLife(loss)
        try await life.live()
        let moments = life.moments
        #expect(moments.count > 30)
        for moment in moments { try await life.restart(at: moment) }
    }
}

/// A store's life, of which each moment is kept as it would be after a power cut then. SQLite syncs its own files before a commit returns,
/// so the database is kept as it is; the other files are, as far as they were synced.
private final class PowerCutLife: Sendable {
    struct Moment: Sendable {
        let files: PowerCutFiles
        let database: [String: Data]
        var acknowledged: Acknowledged
        /// The number of the last change before the cut.
        var change: Int
    }

    /// What the store has answered for.
    struct Acknowledged: Sendable {
        var captures: Set<LocalID> = []
        /// Of captures that nothing is done with.
        var states: [LocalID: CaptureState] = [:]
        var gone: Set<LocalID> = []
    }

    private struct State {
        var acknowledged = Acknowledged()
        var moments: [Moment] = []
        var changes = 0
    }

    private let scratch: ScratchFolder
    private let loss: PowerCutFiles.Loss
    private let state = Mutex(State())

    init(_ loss: PowerCutFiles.Loss) throws {
        scratch = try ScratchFolder()
        self.loss = loss
        // Of the database and the locks, which are on disk.
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    }

    var moments: [Moment] { state.withLock { $0.moments } }
    private var folder: String { scratch.path + "/store" }

    func live() async throws {
        let files = Mutex<PowerCutFiles?>(nil)
        let keep: @Sendable () -> Void = { [self] in if let layer = files.withLock({ $0 }) { self.keep(layer) } }
        let layer = PowerCutFiles(folder: scratch.path, onChange: keep)
        files.withLock { $0 = layer }
        // The points are after what happens in the database.
        let store = try await open(layer, FailPoints { _ in keep() })

        let sent = try await store.addSample().id
        acknowledge(sent, .pending)
        let waiting = try await store.add(SampleContent(photo: .noise(3000), thumbnail: nil)) { _ in .later }.id
        acknowledge(waiting, .assertionPending)
        begin(waiting)
        try await store.setAssertion([1, 2, 3], by: DeviceID(), of: waiting)
        acknowledge(waiting, .pending)
        // Lent twice: the first body is deleted when its task ends, the second when the next sender starts.
        let body = try store.upload(of: try await store.capture(waiting)).body
        _ = try await store.lend(body, as: "1.body", of: waiting)
        try await store.takeBack("1.body")
        _ = try await store.lend(body, as: "2.body", of: waiting)
        begin(sent)
        try await store.markUploaded(sent, at: Date(timeIntervalSince1970: 0))
        acknowledge(sent, .uploaded)
        let kept = try await store.add(try PrivateFixture.capture()) { _ in .made([1, 2, 3], by: DeviceID()) }.id
        acknowledge(kept, .pending)
        begin(kept)
        try await store.markUploaded(kept, at: Date(timeIntervalSince1970: 0))
        acknowledge(kept, .uploaded)
        try await store.expire(at: Date(timeIntervalSince1970: 7 * 86_400))
        try await store.returnLentBodies()
        state.withLock { state in
            state.acknowledged.states[waiting] = nil
            state.acknowledged.captures.remove(waiting)
        }
        try await store.delete(waiting)
        state.withLock { _ = $0.acknowledged.gone.insert(waiting) }
        acknowledge(try await store.addSample().id, .pending)
        try store.close()
        files.withLock { $0 = nil }
    }

    /// Starts on what was left at a moment, and expects all of what was acknowledged until then.
    func restart(at moment: Moment) async throws {
        let when = "after change \(moment.change), \(loss)"
        try FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        for (name, bytes) in moment.database { try bytes.write(to: URL(fileURLWithPath: "\(folder)/\(name)")) }
        do {
            let store = try await open(moment.files, .none)
            try await store.expectWhole(when)
            let captures = try await store.captures()
            let ids = Set(captures.map(\.id))
            #expect(ids.isSuperset(of: moment.acknowledged.captures), Comment(rawValue: when))
            #expect(ids.isDisjoint(with: moment.acknowledged.gone), Comment(rawValue: when))
            for (id, state) in moment.acknowledged.states {
                #expect(captures.first { $0.id == id }?.state == state, Comment(rawValue: when))
            }
            try await store.expectLoansRecorded(when)
            try await store.returnLentBodies()
            try await store.expectNoLoans(when)
            try store.close()
        } catch {
            Issue.record("\(error) \(when)")
        }
    }

    private func open(_ layer: PowerCutFiles, _ failPoints: FailPoints) async throws -> CaptureStore {
        let secrets = FolderSecureStore(folder: scratch.path + "/keychain", files: layer)
        return try await CaptureStore.open(in: folder, secrets: secrets, layer: layer, failPoints: failPoints)
    }

    /// The capture is in this state from now on.
    private func acknowledge(_ id: LocalID, _ value: CaptureState) {
        state.withLock { state in
            state.acknowledged.captures.insert(id)
            state.acknowledged.states[id] = value
        }
    }

    /// From now on the capture may be in its old or its new state.
    private func begin(_ id: LocalID) { state.withLock { $0.acknowledged.states[id] = nil } }

    private func keep(_ files: PowerCutFiles) {
        let survivors = files.survivors(of: loss)
        var database: [String: Data] = [:]
        for name in ["captures.sqlite", "captures.sqlite-wal"] {
            database[name] = FileManager.default.contents(atPath: "\(folder)/\(name)")
        }
        state.withLock { state in
            state.changes += 1
            let acknowledged = state.acknowledged
            if let last = state.moments.last, last.database == database, last.files.isEqual(to: survivors) {
                // Nothing has changed for who starts then, but more may have been promised.
                state.moments[state.moments.count - 1].acknowledged = acknowledged
                state.moments[state.moments.count - 1].change = state.changes
            } else {
                state.moments.append(Moment(files: survivors, database: database, acknowledged: acknowledged, change: state.changes))
            }
        }
    }
}
