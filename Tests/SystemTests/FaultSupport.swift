import AsyncHTTPClient
import Crypto
import Foundation
import Logging
import Messaging
import Models
import NIOCore
import NIOHTTP1
import Secrets
import SimulatedDevice
import TestSupport
import Testing

@testable import ObjectStorage

/// A capture that its device retries with the same bytes until it gets a response.
struct FaultCapture: Sendable {
    var device: SimulatedDevice
    let parts: CaptureParts
    let form: [FormPart]

    init(_ device: inout SimulatedDevice) throws {
        parts = try CaptureParts()
        let digests = parts.digests
        form = parts.form(
            assertion: try device.captureAssertion(
                photoDigest: digests.photo, depthDigest: digests.depth, metadataDigest: digests.metadata))
        self.device = device
    }

    /// Repeats the upload until it is accepted, like a device on a bad network.
    func accepted(within limit: Duration = .seconds(90)) async throws -> (id: String, status: Int) {
        try await sent(within: limit).value
    }
}

/// The captures of a device: some that were accepted before a fault, and two to send while it lasts.
struct CapturesAroundFault: Sendable {
    let device: SimulatedDevice
    let early: [FaultCapture]
    /// Of the early ones.
    let ids: [String]
    let late: [FaultCapture]

    init(early count: Int = 2) async throws {
        var device = try await TestClient.current().device()
        var made: [FaultCapture] = []
        for _ in 0..<count + 2 { made.append(try FaultCapture(&device)) }
        var ids: [String] = []
        for capture in made.prefix(count) { ids.append(try await capture.accepted().id) }
        self.device = device
        self.ids = ids
        early = Array(made.prefix(count))
        late = Array(made.suffix(2))
    }
}

extension LocalStack {
    static let services = ["gateway", "attestation-verifier", "depth-analyzer", "upload-sync", "evidence-assembler", "transparency-log"]

    static func required() throws -> LocalStack { try #require(current) }

    func kafka() throws -> KafkaConfiguration {
        KafkaConfiguration(brokers: try #require(addresses["RIAL_KAFKA_BROKERS"]), clientID: "tests")
    }

    func producer() throws -> KafkaProducer { try KafkaProducer(kafka(), logger: Logger(label: "tests")) }

    /// All records of the topic with this key, oldest first; none if the topic does not exist.
    func records(of topic: Topic, key: String) async throws -> [KafkaRecord] {
        try await KafkaTopicReader(kafka()).read(topic: topic.rawValue, limit: 10_000).filter { $0.key == Array(key.utf8) }
    }

    func storage() throws -> S3Client {
        let configuration = S3Configuration(
            endpoint: try #require(URL(string: addresses["RIAL_S3_ENDPOINT"] ?? "")), region: addresses["RIAL_S3_REGION"] ?? "",
            bucket: addresses["RIAL_S3_BUCKET"] ?? "", accessKeyID: addresses["RIAL_S3_ACCESS_KEY_ID"] ?? "",
            secretAccessKey: Secret(addresses["RIAL_S3_SECRET_ACCESS_KEY"] ?? ""))
        return S3Client(configuration: configuration, httpClient: .shared, logger: Logger(label: "tests"))
    }

    /// Deletes a capture's upload from the store.
    /// - Returns: the objects, by key.
    func takeIntake(of id: String) async throws -> [String: [UInt8]] {
        let storage = try storage()
        var taken: [String: [UInt8]] = [:]
        for key in ["original.jpg", "depth.gz"].map({ "captures/\(id)/\($0)" }) {
            taken[key] = try await storage.getBytes(key, limit: 32 << 20)
            try await storage.delete([key])
        }
        return taken
    }

    func putBack(_ objects: [String: [UInt8]]) async throws {
        let storage = try storage()
        for (key, bytes) in objects { _ = try await storage.put(key, bytes: bytes, contentType: "application/octet-stream") }
    }

    /// Runs `work` while the services are stopped. They are restarted even if it fails, for the sake of later tests.
    func without<Result>(_ services: [String], _ work: () async throws -> Result) async throws -> Result {
        for service in services { try await control("stop", service) }
        let result: Result
        do {
            result = try await work()
        } catch {
            for service in services { try await control("start", service) }
            throw error
        }
        for service in services { try await control("start", service) }
        return result
    }

    /// The response of a service's admin port.
    func admin(_ service: String, _ path: String) async throws -> (status: Int, text: String) {
        let variable = "RIAL_ADMIN_" + service.uppercased().replacing("-", with: "_")
        let request = HTTPClientRequest(url: try #require(addresses[variable]) + path)
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
        let body = try await response.body.collect(upTo: 4 << 20)
        return (Int(response.status.code), String(buffer: body))
    }

    /// Runs `rial` with an operator's settings and returns its output.
    func rial(_ arguments: [String], _ settings: [String: String] = [:]) async throws -> String {
        let program = SharedData.projectRoot.appendingPathComponent(".build/debug/rial").path
        return try await Self.run(program, arguments, addresses.merging(settings) { _, new in new })
    }

    /// Everything that must not change once a capture is complete.
    func finalState(of id: String) async throws -> [String] {
        try await sql(
            """
            SELECT md5(evidence::text) || status || confidence_level || completed_at FROM captures WHERE id = '\(id)'
            UNION ALL SELECT part || outcome || md5(result::text) || received_at FROM evidence_parts WHERE capture_id = '\(id)'
            UNION ALL SELECT name || object_key || created_at FROM media_objects WHERE capture_id = '\(id)'
            UNION ALL SELECT counter || ' ' || consumed_at FROM assertion_counters WHERE capture_id = '\(id)'
            ORDER BY 1
            """)
    }

    /// Expects that these are all captures of the device, that they are complete, and that each has everything exactly once: row, counter,
    /// parts, names, objects, announcement.
    /// - Parameters:
    ///   - lost: whether announcements may be missing because the broker lost its log.
    ///   - failedBefore: whether the captures may also have been announced as failed.
    func expectWhole(
        _ ids: [String], of device: SimulatedDevice, lost: Bool = false, failedBefore: Bool = false, _ what: String = ""
    ) async throws {
        let owner = try #require(device.deviceID)
        for id in ids {
            let answer = try await TestClient(url: url).settled(id, within: .seconds(120))
            #expect(answer.data["confidence_level"] as? String == "high", "\(what)")
            for table in ["assertion_counters", "attestation_appraisals", "depth_analyses", "sync_jobs"] {
                #expect(try await sql("SELECT count(*) FROM \(table) WHERE capture_id = '\(id)'") == ["1"], "\(table) \(what)")
            }
            let parts = "SELECT part || ' ' || outcome FROM evidence_parts WHERE capture_id = '\(id)' ORDER BY part"
            #expect(try await sql(parts) == ["attestation done", "depth done", "media done"], "\(what)")
            try await expectMedia(id, what)
        }
        for table in ["captures", "assertion_counters"] {
            let count = try await sql("SELECT count(*) FROM \(table) WHERE device_id = '\(owner)'")
            #expect(count == ["\(ids.count)"], "\(table) \(what)")
        }
        // An announcement may be redelivered, but there must be only one.
        var announced: [String: Set<String>] = [:]
        try await eventually("the captures were announced as complete") {
            announced = [:]
            for record in try await KafkaTopicReader(kafka()).read(topic: Topic.evidenceAssembled.rawValue, limit: 10_000) {
                let key = String(decoding: record.key ?? [], as: UTF8.self)
                if failedBefore, !String(decoding: record.value ?? [], as: UTF8.self).contains("\"complete\"") { continue }
                announced[key, default: []].insert(record.header("ce_id") ?? "")
            }
            return lost || ids.allSatisfy { announced[$0] != nil }
        }
        for id in ids { #expect((announced[id]?.count ?? 0) <= 1, "\(what)") }
    }

    static let photoMedia = [
        "c2pa.jpg", "depth-preview.png", "depth.gz", "manifest.c2pa", "metadata.json", "og.jpg", "original.jpg", "photo-828.jpg",
        "thumbnail.jpg",
    ]

    /// Expects one row for each name, and an object with the row's digest.
    func expectMedia(_ id: String, _ what: String, names: [String] = LocalStack.photoMedia) async throws {
        let columns = "name || ' ' || object_key || ' ' || encode(sha256, 'hex')"
        let rows = try await sql("SELECT \(columns) FROM media_objects WHERE capture_id = '\(id)' ORDER BY name")
        let media = rows.map { $0.split(separator: " ").map(String.init) }
        #expect(media.map { $0.first } == names, "\(what)")
        let storage = try storage()
        for row in media where row.count == 3 {
            let bytes = try await storage.getBytes(row[1], limit: 32 << 20)
            #expect(SHA256.hash(data: bytes).map { String(format: "%02x", $0) }.joined() == row[2], "\(row[0]) \(what)")
        }
    }
}
