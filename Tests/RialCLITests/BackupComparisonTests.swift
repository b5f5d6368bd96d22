import CaptureProtocol
import Foundation
import ObjectStorage
import Synchronization
import TestSupport
import Testing

@testable import RialCLI

@Suite("Database and bucket, compared")
struct BackupComparisonTests {
    private static let start = Date(timeIntervalSince1970: 1_790_000_000)
    private let rows = MemoryBackupRows()
    private let storage: MemoryObjectStore
    private let clock: Clock

    private final class Clock: Sendable {
        private let hours = Mutex(0)
        var now: Date { BackupComparisonTests.start.addingTimeInterval(Double(hours.withLock { $0 }) * 3600) }
        func set(_ to: Int) { hours.withLock { $0 = to } }
    }

    init() {
        let clock = Clock()
        self.clock = clock
        storage = MemoryObjectStore(pageSize: 7) { clock.now }
    }

    /// With the number in front, so that their order is known.
    private func id(_ number: Int) -> UUID {
        let digits = String(number, radix: 16)
        return UUID(uuidString: String(repeating: "0", count: 8 - digits.count) + digits + "-0000-4000-8000-000000000000") ?? UUID()
    }

    private func put(_ key: String, _ size: Int = 3) async throws {
        try await storage.put(key, bytes: [UInt8](repeating: 1, count: size), contentType: "image/jpeg", sha256: nil)
    }

    /// A capture with three objects in the bucket, received at an hour.
    @discardableResult
    private func capture(
        _ number: Int, at hour: Int = 0, isSwept: Bool = true, isStored: Bool = true, isKnown: Bool = true
    ) async throws -> BackupFolder {
        let folder = BackupFolder(.captures, id(number))
        clock.set(hour)
        let names = ["metadata.json", "original.jpg", "thumbnail.jpg"]
        if isStored { for name in names { try await put(folder.prefix + name) } }
        guard isKnown else { return folder }
        let known = MemoryBackupRows.Capture(
            status: .complete, receivedAt: clock.now,
            objects: names.map { NamedObject(name: $0, key: folder.prefix + $0, sizeBytes: 3) }, isSynced: true, isSwept: isSwept)
        rows.state.withLock { $0.captures[folder.id] = known }
        return folder
    }

    private func compare() async throws -> (findings: [BackupFinding], summary: BackupSummary) {
        let findings = Mutex<[BackupFinding]>([])
        let comparison = BackupComparison(
            rows: rows, pages: storage.pages(under:), tell: { finding in findings.withLock { $0.append(finding) } },
            now: { [clock] in clock.now })
        let summary = try await comparison.run()
        return (findings.withLock { $0 }, summary)
    }

    @Test("nothing is found where all rows and objects fit, whatever the sizes of the pages", arguments: [0, 1, 3, 700])
    func whole(count: Int) async throws {
        for number in 0..<count { try await capture(number) }
        let (findings, summary) = try await compare()
        #expect(findings.isEmpty && !summary.hasProblem)
        #expect(summary.captures == count && summary.namedObjects == 3 * count && summary.objects == 3 * count)
        #expect(rows.state.withLock { $0.largestPage } <= BackupComparison.pageSize)
        let lists = storage.requests.filter { $0.verb == .list }
        #expect(lists.count == max(1, (3 * count + 6) / 7), "each page is listed once: \(lists.count)")
    }

    @Test("objects that are missing or have another size are named with their rows, in every place of the order", arguments: [0, 4, 9])
    func missing(place: Int) async throws {
        for number in 0..<10 { try await capture(number, at: number) }
        let folder = BackupFolder(.captures, id(place))
        try await storage.delete([folder.prefix + "original.jpg"])
        clock.set(20)
        try await put(folder.prefix + "thumbnail.jpg", 5)
        let (findings, summary) = try await compare()
        let finding = try #require(findings.first)
        #expect(findings.count == 1 && summary.hasProblem && summary.isMissingObjects)
        #expect(finding.kind == .missing && finding.id == folder.idText && finding.count == 2 && finding.among == 3)
        #expect(finding.receivedAt == Self.start.addingTimeInterval(Double(place) * 3600))
        #expect(finding.objects.map(\.name) == ["original.jpg", "thumbnail.jpg"])
        #expect(finding.objects.map(\.storedBytes) == [nil, 5])
        #expect(finding.text.contains("missing, 3 bytes") && finding.text.contains("5 bytes, not 3"))
    }

    @Test("a capture of which nothing is there is told from one that lacks something", arguments: [0, 4, 9])
    func gone(place: Int) async throws {
        for number in 0..<10 { try await capture(number, isStored: number != place) }
        let (findings, summary) = try await compare()
        #expect(findings.map(\.kind) == [.gone] && findings.first?.id == BackupFolder(.captures, id(place)).idText)
        #expect(findings.first?.count == 3 && summary.hasProblem)
    }

    @Test("captures that only the bucket has are named, with what is newer than the database", arguments: [0, 4, 9])
    func lost(place: Int) async throws {
        for number in 0..<10 { try await capture(number, at: 1, isKnown: number != place) }
        let newer = try await capture(30, at: 5, isKnown: false)
        rows.state.withLock { $0.devices = [Self.start.addingTimeInterval(7200)] }
        let (findings, summary) = try await compare()
        #expect(findings.map(\.kind) == [.lostCapture, .lostCapture] && summary.hasProblem && !summary.isMissingObjects)
        #expect(findings.map(\.id) == [BackupFolder(.captures, id(place)).idText, newer.idText])
        #expect(findings.map(\.isNewer) == [false, true] && findings.allSatisfy { $0.count == 3 })
        #expect(findings.first?.objects.map(\.key).first?.hasSuffix("/metadata.json") == true)
    }

    @Test("an upload that nobody knows is no capture, and no problem")
    func uploads() async throws {
        let upload = BackupFolder(.captures, id(3))
        try await put(upload.prefix + "original.jpg")
        let segments = BackupFolder(.incoming, id(4))
        try await put(segments.prefix + "body/0-1")
        let (findings, summary) = try await compare()
        #expect(findings.map(\.kind) == [.lostUpload, .lostUpload] && !summary.hasProblem)
        #expect(findings.map(\.id) == [upload.idText, segments.idText])
    }

    @Test(
        "a capture that was accepted while the backup was made is named: its upload began long ago, and it has metadata",
        arguments: [(1, true), (0, true), (1, false)])
    func acceptedMeanwhile(hoursAgo: Int, hasMetadata: Bool) async throws {
        try await capture(1)
        let folder = BackupFolder(.captures, id(2))
        let began = clock.now
        for name in ["original.jpg", "depth.gz"] + (hasMetadata ? ["metadata.json"] : []) { try await put(folder.prefix + name) }
        rows.state.withLock { $0.intakes[folder.id] = began }
        clock.set(hoursAgo)
        let (findings, summary) = try await compare()
        let isLost = hoursAgo > 0 && hasMetadata
        #expect(findings.map(\.kind) == (isLost ? [.lostCapture] : []) && summary.hasProblem == isLost)
        #expect(findings.first.map { $0.id == folder.idText && $0.count == 3 } ?? !isLost)
        rows.state.withLock { _ = $0.idle.insert(folder.id) }
        #expect(try await compare().findings.isEmpty, "no capture has come of it")
    }

    @Test("an upload under way is not named, but a segment that it lacks is")
    func segments() async throws {
        let open = BackupFolder(.incoming, id(1))
        let (there, late) = ("\(open.prefix)body/0-1", "\(open.prefix)body/9-2")
        for key in [there, late] { try await put(key) }
        let named = [NamedObject(name: "segment 0", key: there, sizeBytes: 3)]
        rows.state.withLock { $0.uploads[open.id] = MemoryBackupRows.Upload(segments: named) }
        let recorded = BackupFolder(.captures, id(2))
        try await put(recorded.prefix + "original.jpg")
        rows.state.withLock { $0.intakes[recorded.id] = Self.start }
        #expect(try await compare().findings.isEmpty)
        try await storage.delete([there])
        let findings = try await compare().findings
        #expect(findings.map(\.kind) == [.missing] && findings.first?.objects.map(\.key) == [there])
    }

    @Test("objects that no row names are named only where nobody deletes them", arguments: [true, false])
    func unnamed(isSwept: Bool) async throws {
        let folder = try await capture(1, isSwept: isSwept)
        try await put(folder.prefix + "og-1.jpg", 9)
        let (findings, summary) = try await compare()
        #expect(findings.map(\.kind) == (isSwept ? [.unnamed] : []) && !summary.hasProblem)
        #expect(findings.first.map { $0.objects.map(\.sizeBytes) } ?? [9] == [9])
    }

    @Test("a withdrawn capture is no loss, and is named when it is here again")
    func withdrawn() async throws {
        let (gone, again) = (BackupFolder(.captures, id(1)), BackupFolder(.captures, id(2)))
        rows.state.withLock { state in
            for folder in [gone, again] {
                state.captures[folder.id] = MemoryBackupRows.Capture(status: .withdrawn)
                state.withdrawals[folder.id] = MemoryBackupRows.Withdrawal(withdrawnAt: Self.start, isErased: true)
            }
        }
        try await put(again.prefix + "original.jpg")
        let (findings, summary) = try await compare()
        #expect(findings.map(\.kind) == [.withdrawnAgain] && findings.first?.id == again.idText && summary.hasProblem)
    }

    @Test(
        "a hash-only capture that was withdrawn since the backup is gone, though only upload-sync stored anything of it",
        arguments: [CaptureStatus.processing, .failed])
    func hashOnly(status: CaptureStatus) async throws {
        let folder = BackupFolder(.captures, id(1))
        let payload = NamedObject(name: "metadata.json", key: folder.prefix + "metadata.json", sizeBytes: 3)
        rows.state.withLock {
            // What unverified devices sent expires.
            $0.captures[folder.id] = MemoryBackupRows.Capture(
                status: status, receivedAt: Self.start, payload: payload, isSynced: true, isVerified: true)
        }
        try await put(payload.key)
        #expect(try await compare().findings.isEmpty)
        try await storage.delete([payload.key])
        let (findings, summary) = try await compare()
        #expect(findings.map(\.kind) == [.gone] && findings.first?.id == folder.idText && summary.hasProblem)
        #expect(findings.first?.objects.map(\.key) == [payload.key])
    }

    @Test("an upload that an earlier version has put elsewhere is not missing")
    func elsewhere() async throws {
        let folder = BackupFolder(.captures, id(1))
        let key = "incoming/\(folder.idText)/photo"
        let named = NamedObject(name: "original.jpg", key: folder.prefix + "original.jpg", elsewhere: key, sizeBytes: 3)
        rows.state.withLock { $0.captures[folder.id] = MemoryBackupRows.Capture(receivedAt: Self.start, uploads: [named]) }
        try await put(key)
        #expect(try await compare().findings.isEmpty)
        try await put(key, 4)
        #expect(try await compare().findings.map(\.kind) == [.gone])
    }

    @Test("probes and known logs are not named; other shards, and what is elsewhere, are")
    func strays() async throws {
        rows.state.withLock { $0.shards = ["2026"] }
        let strays = [
            "captures/ABCDEF00-0000-4000-8000-000000000000/original.jpg", "captures/x/y", "captures/\(id(1).uuidString.lowercased())",
            "log/2027/checkpoint", "log/x", "other",
        ]
        for key in strays + ["log/2026/checkpoint", "log/2026/tile/0/000", "probes/gateway"] { try await put(key) }
        let (findings, summary) = try await compare()
        #expect(findings.map { $0.objects.map(\.key) } == strays.sorted().map { [$0] })
        #expect(findings.allSatisfy { $0.kind == .stray } && !summary.hasProblem)
    }

    @Test("what services do meanwhile is not taken for a loss")
    func meanwhile() async throws {
        // Not in the page that was read, but there when it is looked for; and not in the page that was listed.
        let recorded = try await capture(1, isKnown: false)
        let stored = try await capture(2, isStored: false)
        let rows = rows
        let storage = storage
        rows.state.withLock { state in
            state.beforeLookingAgain = { folder in
                if folder == recorded { rows.state.withLock { $0.intakes[folder.id] = Self.start } }
                guard folder == stored else { return }
                for name in ["metadata.json", "original.jpg", "thumbnail.jpg"] {
                    try? await storage.put(folder.prefix + name, bytes: [1, 1, 1], contentType: "image/jpeg", sha256: nil)
                }
            }
        }
        let (findings, summary) = try await compare()
        #expect(findings.isEmpty && !summary.hasProblem)
    }

    @Test("captures after the newest object are counted where objects are missing")
    func after() async throws {
        try await capture(1, at: 1)
        try await capture(2, at: 2, isStored: false)
        try await capture(3, at: 3, isStored: false)
        let summary = try await compare().summary
        #expect(summary.newestObject == Self.start.addingTimeInterval(3600) && summary.capturesAfterNewestObject == 2)
        #expect(summary.text.contains("2 captures were received after the newest object"))
    }

    @Test("a store tells only the second of a change", arguments: [(0, true), (0.999, true), (-0.001, false), (-3600, false)])
    func second(after: Double, isBefore: Bool) {
        let edge = DatabaseEdge(newestRow: Self.start.addingTimeInterval(0.5))
        #expect(edge.isBefore(Self.start.addingTimeInterval(after)) == isBefore)
        #expect(DatabaseEdge().isBefore(Self.start))
    }

    @Test("of a folder without end only so many objects are kept, and all are counted")
    func bounded() async throws {
        let folder = BackupFolder(.captures, id(1))
        var audit = FolderAudit(folder, nil)
        for number in 0..<5000 {
            audit.see(
                StoredObject(key: "\(folder.prefix)\(number)", sizeBytes: 1, etag: "", contentType: nil, lastModified: Self.start))
        }
        let finding = try #require(audit.findings(DatabaseEdge(), at: Self.start).first)
        #expect(finding.count == 5000 && finding.objects.count == FolderAudit.shown && finding.text.hasSuffix("and 4000 more"))
    }

    @Test("an unsorted listing ends the comparison, since it would name what is there")
    func order() async throws {
        let keys = [2, 1].map { BackupFolder(.captures, id($0)).prefix + "original.jpg" }
        let objects = keys.map { StoredObject(key: $0, sizeBytes: 1, etag: "", contentType: nil, lastModified: nil) }
        let comparison = BackupComparison(rows: rows, pages: { _ in ObjectPages { _ in ObjectPage(objects: objects, continuation: nil) } })
        { _ in }
        await #expect(throws: BackupComparison.NotInOrder.self) { _ = try await comparison.run() }
    }

    @Test(
        "keys that belong to no folder",
        arguments: ["", "/", "captures", "captures//x", "captures/\(UUID())", "incoming/x/y", "log/2026/x"])
    func keys(key: String) { #expect(BackupFolder(key: key) == nil) }

    @Test("a finding is one line of JSON")
    func json() async throws {
        try await capture(1, isKnown: false)
        let (findings, summary) = try await compare()
        let line = String(decoding: try WireJSON.encode(findings[0]), as: UTF8.self)
        #expect(
            line.hasPrefix(#"{"count":3,"id":"\#(BackupFolder(.captures, id(1)).idText)","kind":"lost_capture","newer_than_database":true"#)
        )
        #expect(!line.contains("\n"))
        let last = String(decoding: try WireJSON.encode(summary), as: UTF8.self)
        #expect(last.contains(#""kind":"summary""#) && last.contains(#""lost_capture":1"#))
    }
}
