import Models
import ServiceRuntime

@main
enum App {
    static func main() async throws {
        try await ServiceMain.run(.evidenceAssembler) { environment, metrics, logger in
            try makeServiceGroup(Settings(environment), metrics: metrics, logger: logger)
        }
    }
}
