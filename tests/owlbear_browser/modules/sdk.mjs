/** Stands for the SDK: each test gives it the calls that the modules make of it. */
export default {};
