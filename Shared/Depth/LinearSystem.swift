/// Small systems of linear equations.
enum LinearSystem {
    /// Gaussian elimination with partial pivoting.
    /// - Parameter equations: `n` rows of `n` coefficients and the right-hand side.
    /// - Returns: the `n` unknowns; `nil` if the system is singular, nearly so, or not finite.
    static func solve(_ equations: [[Double]]) -> [Double]? {
        var rows = equations
        let count = rows.count
        guard rows.allSatisfy({ $0.count == count + 1 }) else { return nil }
        let largest = rows.flatMap { $0.dropLast() }.map(abs).max() ?? 0
        let least = 1e-12 * largest
        for column in 0..<count {
            var pivot = column
            for row in column..<count where abs(rows[row][column]) > abs(rows[pivot][column]) { pivot = row }
            // `guard … >` instead of `if … <=`, so that NaN is rejected too.
            guard abs(rows[pivot][column]) > least else { return nil }
            rows.swapAt(column, pivot)
            for row in column + 1..<max(count, column + 1) {
                let factor = rows[row][column] / rows[column][column]
                for index in column...count { rows[row][index] -= factor * rows[column][index] }
            }
        }
        var solution = [Double](repeating: 0, count: count)
        for row in stride(from: count - 1, through: 0, by: -1) {
            var value = rows[row][count]
            for index in row + 1..<max(count, row + 1) { value -= rows[row][index] * solution[index] }
            solution[row] = value / rows[row][row]
        }
        return solution.allSatisfy(\.isFinite) ? solution : nil
    }
}
