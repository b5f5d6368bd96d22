import ArgumentParser
import AsyncHTTPClient
import Logging
import ObjectStorage

/// Creates the bucket for media.
struct AdminBucket: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bucket",
        abstract: "Creates the bucket if it is missing.",
        discussion: """
            Reads RIAL_S3_ENDPOINT, RIAL_S3_REGION, RIAL_S3_BUCKET, RIAL_S3_ACCESS_KEY_ID and RIAL_S3_SECRET_ACCESS_KEY.
            """)

    func run() async throws {
        let configuration = try OperatorSettings().storage()
        let storage = S3Client(configuration: configuration, httpClient: .shared, logger: Logger(label: "rial-bucket"))
        try await StartupRetry(dependency: "the object store") {
            do {
                try await storage.createBucketIfMissing()
            } catch let error as ObjectStorageError where error.code == .rejected {
                // Another process may have created it at the same moment.
                try await storage.checkBucket()
            }
        }
        Console.result("bucket: \(configuration.bucket) exists")
    }
}
