import CaptureProtocol
import Foundation
import TestSupport
import Testing

extension SystemTests {
    /// The device library, through `rial queue`, against the real gateway.
    @Suite("The device library")
    struct Queue {
        @Test("sends captures that were added without a network, in order, and rooms become HIGH")
        func sendsAll() async throws {
            let phone = try await Phone()
            var added: [String] = []
            for _ in 1...3 { added.append(try await phone.add()) }
            #expect(try await phone.captures().map(\.state) == Array(repeating: "assertion_pending", count: 3))
            try await phone.run()
            let sent = try await phone.captures()
            #expect(sent.map(\.id) == added)
            #expect(sent.allSatisfy { $0.state == "uploaded" && $0.has_assertion })
            let ids = sent.compactMap(\.capture_id)
            try await eventually("all are complete") {
                try await phone.stack.sql(
                    "SELECT count(*) FROM captures WHERE status = 'complete' AND id = ANY('{\(ids.joined(separator: ","))}')")
                    == ["3"]
            }
            let inOrder = try await phone.stack.sql(
                "SELECT id || ' ' || confidence_level FROM captures WHERE id = ANY('{\(ids.joined(separator: ","))}') ORDER BY uploaded_at")
            #expect(inOrder == ids.map { "\($0) high" })
        }

        @Test(
            "loses and doubles nothing, wherever the process that adds is killed",
            arguments: ["seal.written", "seal.synced", "seal.renamed", "seal.folder-synced", "store.sealed", "store.row"])
        func addKilled(at point: String) async throws {
            let phone = try await Phone()
            try phone.arm(point)
            await #expect(throws: LocalStack.CommandFailed.self) { try await phone.add() }
            let before = try await phone.captures()
            #expect(before.count == (point == "store.row" ? 1 : 0))
            #expect(try phone.content().count == before.count * 3, "nothing is left of a capture without a row")
            _ = try await phone.add()
            try await phone.run()
            #expect(try await phone.captures().map(\.state) == Array(repeating: "uploaded", count: before.count + 1))
            try await phone.expectOnceEach()
        }

        @Test(
            "loses and doubles nothing, wherever the process that sends is killed",
            arguments: [
                "registration.key", "registration.challenge", "registration.attesting", "registration.attested", "registration.body",
                "registration.answered", "registration.saved", "store.assertion-sealed", "queue.uploading", "queue.signed",
                "queue.answered", "queue.recorded",
            ])
        func runKilled(at point: String) async throws {
            let phone = try await Phone()
            for _ in 1...2 { _ = try await phone.add() }
            try phone.arm(point)
            await #expect(throws: LocalStack.CommandFailed.self) { try await phone.run() }
            #expect(try await phone.captures().count == 2)
            try await phone.run()
            #expect(try await phone.captures().map(\.state) == ["uploaded", "uploaded"])
            try await phone.expectOnceEach()
        }

        @Test("deletes a capture whole, wherever it is killed", arguments: ["store.row-deleted", "store.deleted"])
        func deleteKilled(at point: String) async throws {
            let phone = try await Phone()
            let id = try await phone.add()
            try phone.arm(point)
            await #expect(throws: LocalStack.CommandFailed.self) { try await phone.rial("queue", "delete", id) }
            #expect(try await phone.captures().isEmpty)
            #expect(try phone.content().isEmpty)
        }

        @Test("shows nothing of a capture in any file of its store, before and after it is sent")
        func nothingPlain() async throws {
            let phone = try await Phone()
            _ = try await phone.add("--location", "45.764043,4.835659")
            let photo = try phone.scenePhoto()
            for sent in [false, true] {
                if sent { try await phone.run() }
                let bytes = try phone.everything()
                #expect(bytes.count > photo.count)
                for piece in try phone.plainPieces() + [Array("45.76".utf8)] {
                    #expect(bytes.firstRange(of: piece) == nil, "\(piece)")
                }
            }
        }

        @Test("exports what was sealed")
        func export() async throws {
            let phone = try await Phone()
            let id = try await phone.add()
            let out = phone.folder.appendingPathComponent("out")
            try await phone.rial("queue", "export", id, "--out", out.path)
            let photo = try Data(contentsOf: out.appendingPathComponent("photo.jpg"))
            let metadata = try String(contentsOf: out.appendingPathComponent("metadata.json"), encoding: .utf8)
            #expect(metadata.contains(ContentDigest(of: photo).hex))
            #expect(photo.starts(with: [0xFF, 0xD8]))
        }
    }
}

/// A simulated phone of its own.
struct Phone: Sendable {
    struct Listed: Decodable {
        let id: String
        let state: String
        /// Of its body, about.
        let bytes: Int
        let capture_id: String?
        let has_assertion: Bool
        let failure: Failure?

        struct Failure: Decodable, Equatable {
            struct Detail: Decodable, Equatable {
                let field: String
                let problem: String
            }
            let code: String
            let details: [Detail]?
        }
        let captured_at: String
    }

    let stack: LocalStack
    let folder: URL
    let failPoints: URL

    init() async throws {
        stack = try #require(LocalStack.current)
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("rial-phone-\(UUID().uuidString)")
        failPoints = folder.appendingPathComponent("fail")
        try FileManager.default.createDirectory(at: failPoints, withIntermediateDirectories: true)
        _ = try await LocalStack.run(Self.program, ["scene", "room", "--out", folder.path + "/scene", "--size", "640x480"], [:])
    }

    static var isRelease: Bool { ProcessInfo.processInfo.environment["RIAL_TEST_BUILD"] == "release" }
    static var program: String { SharedData.projectRoot.appendingPathComponent(".build/\(isRelease ? "release" : "debug")/rial").path }

    @discardableResult
    func rial(_ arguments: String...) async throws -> String {
        let settings = stack.addresses.merging(["RIAL_FAIL_POINTS": failPoints.path]) { _, new in new }
        return try await LocalStack.run(Self.program, arguments + ["--store", folder.path + "/phone"], settings)
    }

    /// - Returns: the id in the store.
    func add(_ more: String...) async throws -> String {
        let settings = stack.addresses.merging(["RIAL_FAIL_POINTS": failPoints.path]) { _, new in new }
        let output = try await LocalStack.run(Self.program, addition + more + ["--store", folder.path + "/phone"], settings)
        return output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The command that adds a capture, without the store.
    var addition: [String] {
        let scene = folder.path + "/scene"
        return ["queue", "add", "--photo", scene + "/photo.jpg", "--depth", scene + "/depth.f32.gz", "--width", "256", "--height", "192"]
    }

    func run() async throws { try await rial("queue", "run", "--until-empty") }

    func captures() async throws -> [Listed] {
        try JSONDecoder().decode([Listed].self, from: Data(try await rial("queue", "list", "--json").utf8))
    }

    func arm(_ point: String) throws { try Data().write(to: failPoints.appendingPathComponent(point)) }

    func content() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path + "/phone/store/content") }

    func scenePhoto() throws -> [UInt8] { Array(try Data(contentsOf: folder.appendingPathComponent("scene/photo.jpg"))) }

    func sceneDepth() throws -> [UInt8] { Array(try Data(contentsOf: folder.appendingPathComponent("scene/depth.f32.gz"))) }

    /// What no file of the store may hold: markers of EXIF and JPEG, beginnings of JSON, the model, 16 bytes of photo and of depth map.
    func plainPieces() throws -> [[UInt8]] {
        let (photo, depth) = (try scenePhoto(), try sceneDepth())
        let tables = try #require(photo.firstRange(of: [0xFF, 0xDB])).lowerBound
        return ["Exif\0\0", "{\"captured", "{\"photo", "\"capturedAt\"", "iPhone"].map { Array($0.utf8) }
            + [photo[tables..<tables + 16], photo[20_000..<20_016], depth[20_000..<20_016]].map { Array($0) }
    }

    func everything() throws -> [UInt8] {
        let root = folder.path + "/phone/store"
        let names = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        return names.flatMap { FileManager.default.contents(atPath: root + "/" + $0).map(Array.init) ?? [] }
    }

    /// Expects each uploaded capture once in the server's database, and one device with these captures.
    func expectOnceEach() async throws {
        let ids = try await captures().compactMap(\.capture_id)
        #expect(Set(ids).count == ids.count)
        let devices = try await stack.sql("SELECT DISTINCT device_id FROM captures WHERE id = ANY('{\(ids.joined(separator: ","))}')")
        #expect(devices.count == 1)
        let device = try #require(devices.first)
        #expect(try await stack.sql("SELECT count(*) FROM captures WHERE device_id = '\(device)'") == [String(ids.count)])
    }
}
