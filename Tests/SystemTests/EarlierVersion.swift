import AsyncHTTPClient
import Foundation
import Logging
import ObjectStorage
import Secrets
import SimulatedDevice
import TestSupport
import Testing

/// A dump of an earlier version's stack (`scripts/make-dump.sh`), to be restored into a stack of this version.
struct EarlierVersion: Sendable {
    let name: String

    private var folder: URL { SharedData.projectRoot.appendingPathComponent("Tests/SystemTests/Resources/\(name)") }

    /// The authority that signed its Content Credentials.
    var anchors: URL { folder.appendingPathComponent("anchors.pem") }

    /// The API's response for each capture, by the capture's name.
    func captures() throws -> [String: [String: Any]] {
        let data = try Data(contentsOf: folder.appendingPathComponent("captures.json"))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: [String: Any]])
    }

    func id(_ capture: String) throws -> String { try #require(try captures()[capture]?["id"] as? String) }

    /// The device that sent most of the captures.
    func device() throws -> SimulatedDevice {
        struct State: Decodable { let device: SimulatedDevice }
        return try JSONDecoder().decode(State.self, from: Data(contentsOf: folder.appendingPathComponent("device.json"))).device
    }

    /// Restores database and objects for a stack of this version.
    func restore(to stack: String) async throws {
        try await LocalStack.script(["infra", stack], [:])
        let values = try LocalStack.values(in: "test.env", of: stack)
        let database = try #require(values["RIAL_TEST_DATABASE_URL"])
        let dump = folder.appendingPathComponent("database.sql.gz").path
        let restoring = "gunzip -c \"$0\" | psql \"$1\" -X -q -v ON_ERROR_STOP=1"
        _ = try await LocalStack.run("/usr/bin/env", ["bash", "-o", "pipefail", "-c", restoring, dump, database], [:])
        let configuration = S3Configuration(
            endpoint: try #require(URL(string: values["RIAL_TEST_S3_ENDPOINT"] ?? "")), region: "us-east-1", bucket: "rial",
            accessKeyID: try #require(values["RIAL_TEST_S3_ACCESS_KEY_ID"]),
            secretAccessKey: Secret(try #require(values["RIAL_TEST_S3_SECRET_ACCESS_KEY"])))
        let bucket = [
            "RIAL_S3_ENDPOINT": configuration.endpoint.absoluteString, "RIAL_S3_REGION": configuration.region,
            "RIAL_S3_BUCKET": configuration.bucket, "RIAL_S3_ACCESS_KEY_ID": configuration.accessKeyID,
            "RIAL_S3_SECRET_ACCESS_KEY": configuration.secretAccessKey.value,
        ]
        let program = SharedData.projectRoot.appendingPathComponent(".build/debug/rial").path
        _ = try await LocalStack.run(program, ["admin", "bucket"], bucket)
        try await putObjects(S3Client(configuration: configuration, httpClient: .shared, logger: Logger(label: "tests")))
    }

    private func putObjects(_ storage: S3Client) async throws {
        let manager = FileManager.default
        let unpacked = manager.temporaryDirectory.appendingPathComponent("rial-objects-\(UUID().uuidString)").resolvingSymlinksInPath()
        try manager.createDirectory(at: unpacked, withIntermediateDirectories: true)
        defer { try? manager.removeItem(at: unpacked) }
        let archive = folder.appendingPathComponent("objects.tar.gz").path
        _ = try await LocalStack.run("/usr/bin/env", ["tar", "-xzf", archive, "-C", unpacked.path], [:])
        for path in try manager.subpathsOfDirectory(atPath: unpacked.path) {
            var isFolder: ObjCBool = false
            let file = unpacked.appendingPathComponent(path)
            guard manager.fileExists(atPath: file.path, isDirectory: &isFolder), !isFolder.boolValue else { continue }
            _ = try await storage.put(path, bytes: Array(try Data(contentsOf: file)), contentType: Self.type(of: path))
        }
    }

    private static func type(of path: String) -> String {
        switch path.split(separator: ".").last {
        case "jpg": "image/jpeg"
        case "png": "image/png"
        case "json": "application/json"
        case "c2pa": "application/c2pa"
        default: "application/octet-stream"
        }
    }
}
