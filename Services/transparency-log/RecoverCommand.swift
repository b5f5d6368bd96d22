import AsyncHTTPClient
import Foundation
import Logging
import ObjectStorage
import Persistence
import ServiceRuntime
import TransparencyLog

/// `transparency-log recover`: with the owner's database role, and a bucket identity that reaches `log/`.
enum RecoverCommand {
    /// - Returns: the process's exit code: 0 recovered, 1 it cannot be, 2 settings are missing or an instance writes the log.
    static func run(_ environment: ServiceEnvironment) async -> Int32 {
        do {
            let storage = try S3Configuration(environment)
            guard let repository = try await PostgresRecoveryRepository.locked(url: try environment.required("RIAL_DATABASE_URL")) else {
                print("An instance of transparency-log writes the log. To recover a closed shard, stop all instances first.")
                return 2
            }
            let store = S3Client(configuration: storage, httpClient: .shared, logger: Logger(label: "transparency-log"))
            let report = try await LogRecovery(repository: repository, store: store).recover()
            await repository.connection.close()
            print("The log is recovered: \(report.head.size) leaves, root \(report.head.root); \(report.returned) statements wait again.")
            return 0
        } catch let failure as LogRecovery.Failure {
            print("\(failure)")
            return 1
        } catch {
            print("\(error)")
            return 2
        }
    }
}
